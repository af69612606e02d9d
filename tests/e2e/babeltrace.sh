#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# babeltrace2 reads recordings: the same events, names and fields as beamtap's own reader has.
#	tests/e2e/babeltrace.sh BUILD_DIR
command -v babeltrace2 >/dev/null || { echo "1..0 # SKIP no babeltrace2"; exit 77; }
. "$(dirname "$0")/../lib/tap.sh"

# The whole catalogue: each event once, with all numbers of fields, with and without texts.
"$B"/tests/mkrec catalogue > "$T"/all.ev && "$B"/tests/mkrec text "$T"/all.ev "$T"/all || exit 1
babeltrace2 "$T"/all > "$T"/all.txt 2> "$T"/all.err
ok $? "the whole catalogue is read without an error"
grep -v 'WARN-MEANINGLESS-HEADER-FIELDS' "$T"/all.err | grep -q .
ok $((! $?)) "and without a warning, but for the one about nr_words"
awk '{ print $1 }' "$T"/all.ev > "$T"/want.names
sed -E 's/^\[[^]]*\] \([^)]*\) [^ ]+ ([a-z0-9_]+): .*/\1/' "$T"/all.txt > "$T"/have.names
cmp -s "$T"/want.names "$T"/have.names
ok $? "events have the same names in the same order"

# Names of fields, event by event: those of the fixture; texts have their length beside them.
sed -E 's/"([^"\\]|\\.)*"/T/g; s/'"'"'([^'"'"']*)'"'"'/T/g; s/ (ts|on)=[^ ]*//g; s/=[^ ]*//g' "$T"/all.ev > "$T"/want.fields
sed -E 's/"([^"\\]|\\.)*"/T/g; s/^\[[^]]*\] \([^)]*\) [^ ]+ ([a-z0-9_]+): \{ thread = [^}]*\}/\1/; s/\{ arity[^}]*\}/M/g; s/[,{} ]+/ /g; s/ = (\([^)]*\)|[^ ]+)//g; s/ [a-z0-9_]+_length//g; s/ $//' "$T"/all.txt > "$T"/have.fields
cmp -s "$T"/want.fields "$T"/have.fields
ok $? "events have the same fields in the same order"
diff "$T"/want.fields "$T"/have.fields | head -6 | sed 's/^/# /'

# Values as people read them.
cat > "$T"/v.ev <<'END'
vm otp=25 node=a@host mono_ns=1000 real_ns=1700000000000001000
name_register ts=1000 p=<0.81.0> name=shop
process_spawn ts=1100 p=<0.90.0> mfa='Elixir.Shop.Cart':total/1 parent=<0.81.0>
message_send ts=1200 sender=<0.90.0> receiver=<0.81.0> size=4 msg=7
process_exit ts=1300 p=<0.90.0> reason="{badarg,\"\xc3\xa9\"}"
lost ts=1400 count=5 from=1400 to=1500
driver_finish ts=1600 name="tcp \"inet\" \\"
process_exit ts=1700 p=<0.90.0> reason=?
process_exit ts=1800 p=<0.5.0> reason="abc"
END
"$B"/tests/mkrec text "$T"/v.ev "$T"/v || exit 1
babeltrace2 "$T"/v > "$T"/v.txt 2> "$T"/v.err
has() { grep -qF -- "$1" "$T"/v.txt; ok $? "$2"; }
has 'sender = ( "<0.90.0> \'"'Elixir.Shop.Cart\\'"':total/1" : container = 1443 )' "a process has its first function in its label"
has 'receiver = ( "<0.81.0> shop" : container = 1299 )' "a registered one its name"
has "module = ( \"\\'Elixir.Shop.Cart\\'\"" "a function its module"
has 'function = ( "total"' "and its name"
has 'reason = "{badarg,\"é\"}"' "a text is text"
has 'reason_length = 0, reason = ""' "one that is not there is empty"
has 'name = ( "tcp \"inet\" \\' "a string is a label"
has 'thread = ( "scheduler" : container = 1 ), number = 1' "a thread has its kind and number"
grep -q 'discarded 5 events' "$T"/v.err
ok $? "lost events are told"
[ "$(wc -l < "$T"/v.txt)" = 7 ]
ok $? "all events are there"
sed -n 1p "$T"/v.txt | grep -q ':20\.000001000\]'
ok $? "times are those of day"

# Cut off in the middle of a packet: beamtap reads on up to it and says how to cut for others.
size=$(stat -c %s "$T"/all/ring_0)
cp -r "$T"/all "$T"/cut && truncate -s $((size - 10)) "$T"/cut/ring_0
"$B"/beamtap dump "$T"/cut > "$T"/cut.txt 2> "$T"/cut.err
cmd=$(sed -n 's/.*(\(truncate -s [0-9]* [^)]*\)).*/\1/p' "$T"/cut.err)
$cmd
[ "$(babeltrace2 "$T"/cut 2>/dev/null | wc -l)" -gt 100 ] &&
	[ "$(babeltrace2 "$T"/cut 2>/dev/null | wc -l)" = "$(wc -l < "$T"/cut.txt)" ]
ok $? "a recording that is cut off is read up to the cut, by others after the cut we tell"
echo "1..$nr"
