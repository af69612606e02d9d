#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# make install and make uninstall, into a root of its own and under another prefix.
#	tests/e2e/install.sh BUILD_DIR
. "$(dirname "$0")/../lib/tap.sh"
cd "$(dirname "$0")/../.." || exit 1
do_make() { make --no-print-directory B="$B" "$@" >"$T/out" 2>"$T/err"; }

do_make install DESTDIR="$T/root"
ok $? "it is installed below DESTDIR"
[ -x "$T/root/usr/local/bin/beamtap" ] && [ "$(readlink "$T/root/usr/local/bin/beamtap-dtrace")" = beamtap ]
ok $? "with the command in both its names"
find "$T/root" -name 'beamtap_nif.so' | grep -q .
ok $? "and the agent"
do_make uninstall DESTDIR="$T/root"
[ -z "$(find "$T/root" ! -type d)" ]
ok $? "uninstall leaves no file"

do_make install PREFIX="$T/other" ERL_LIB="$T/other/erl"
ok $? "it is installed below PREFIX"
printf '#!%s -qs\nBEGIN { printf("%%s", $$1); exit(3); }\n' "$T/other/bin/beamtap-dtrace" >"$T/script.d"
chmod +x "$T/script.d"
"$T/script.d" "two words" >"$T/out" 2>"$T/err"
[ $? = 3 ] && [ "$(cat "$T/out")" = "two words" ]
ok $? "a script's first line may name it"
bad=0
for page in beamtap beamtap-dtrace beamtap-record; do
	mandoc -Tutf8 "$T/other/share/man/man1/$page.1" 2>>"$T/err" | grep -q "$page" || bad=1
done
ok $bad "man pages are there to be read"
ERL_LIBS="$T/other/erl" erl -noinput -s beamtap -eval 'io:format("~p", [application:get_key(beamtap, vsn)]), halt().' >"$T/out" 2>"$T/err"
has '^{ok,"[0-9.]+"}$' "$T/out" "Erlang finds the agent there"
do_make uninstall PREFIX="$T/other" ERL_LIB="$T/other/erl"
[ -z "$(find "$T/other" ! -type d)" ]
ok $? "uninstall leaves no file there, either"
plan
