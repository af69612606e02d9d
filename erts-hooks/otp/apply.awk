# SPDX-License-Identifier: Apache-2.0
# apply.awk - read parts/*.hooks, find their places in OTP's files, write the new files
#
# In: otp, orig, release, tmp.  Out: tmp/1, tmp/2, ... and tmp/files ("number name"); tmp/sources, those
# of ../src that belong to the parts; tmp/able, the events that they have a hook for, for a C array.
# Exit: 1 when a place was not found as often as it should be; all such are named.

function norm(s) { gsub(/[ \t\r]+/, " ", s); sub(/^ /, "", s); sub(/ $/, "", s); return s }

function complain(text) { print "apply: " text > "/dev/stderr"; bad = 1 }

# Does this release want the block?  25, 25-26, 27-
function wanted(range,    a, n) {
	n = split(range, a, "-")
	if (n == 1)
		return release == a[1]
	return release >= a[1] && (a[2] == "" || release <= a[2])
}

function load(file,    path, line, n) {
	if (file in nr_lines)
		return
	path = orig "/" file
	if ((getline line < path) < 0)
		path = otp "/" file
	else
		close(path)
	n = 0
	while ((getline line < path) > 0) {
		text[file, ++n] = line
		key[file, n] = norm(line)
	}
	close(path)
	nr_lines[file] = n
	order[++nr_files] = file
	if (!n)
		complain("there is no " file " in this OTP")
}

# A hook is there for an event.
function has_event(part, event) {
	if (event in part_of)
		return
	part_of[event] = part
	events[++nr_events] = event
}

function find_events(line,    hit) {
	while (match(line, /ERTS_BEAMTAP(_TO)?\([a-z_0-9]+/)) {
		hit = substr(line, RSTART, RLENGTH)
		sub(/.*\(/, "", hit)
		has_event(part_of_block, hit)
		line = substr(line, RSTART + RLENGTH)
	}
}

# The place of the block that was read: all its context lines, one behind the other.
function place(    i, j, first, last, found, hit, where) {
	if (!nr_block || !is_wanted)
		return
	load(file)
	first = 1
	last = nr_lines[file]
	if (inside != "") {
		for (i = 1; i <= last && index(key[file, i], norm(inside)) != 1; i++)
			;
		if (i > last) {
			complain(FILENAME_of ":" head_line ": " file " has no line that begins `" inside "'")
			return
		}
		first = i
		while (i < last && text[file, i] !~ /^}/)
			i++
		last = i
	}
	found = 0
	for (i = first; i + nr_context - 1 <= last; i++) {
		for (j = 1; j <= nr_context && key[file, i + j - 1] == context[j]; j++)
			;
		if (j <= nr_context)
			continue
		found++
		hit[found] = i
	}
	if (found != times) {
		where = inside == "" ? "" : " within `" inside "'"
		complain(FILENAME_of ":" head_line ": " file where " has the lines that begin `" \
			 context[1] "' " found " times, expected " times)
		return
	}
	for (i = 1; i <= nr_block; i++)
		if (is_new[i])
			find_events(block[i])
	for (j = 1; j <= found; j++)
		for (i = 1; i <= nr_block; i++)
			if (is_new[i])
				add[file, hit[j] + after[i] - 1] = add[file, hit[j] + after[i] - 1] block[i] "\n"
}

function begin_block(line,    a, n, i) {
	n = split(line, a, /[ \t]+/)
	file = a[2]
	times = 1
	inside = ""
	is_wanted = 1
	nr_block = nr_context = 0
	head_line = FNR
	FILENAME_of = FILENAME
	part_of_block = part
	for (i = 3; i <= n; i++) {
		if (a[i] ~ /^x[0-9]+$/)
			times = substr(a[i], 2) + 0
		else if (a[i] == "otp")
			is_wanted = is_wanted && wanted(a[++i])
		else if (a[i] == "in") {
			inside = line
			sub(/^.*[ \t]in[ \t]+/, "", inside)
			break
		} else
			complain(FILENAME ":" FNR ": unknown word `" a[i] "'")
	}
}

FNR == 1 {
	part = FILENAME
	sub(/.*\//, "", part)
	sub(/-.*/, "", part)
}
/^@@ / { place(); begin_block($0); next }
# What a part says of itself, before its blocks (parts/README.md).
$1 == "needs" { next }
$1 == "source" {
	for (i = 2; i <= NF; i++)
		print $i > (tmp "/sources")
	next
}
$1 == "events" {
	condition = ""
	if (match($0, / if /))
		condition = substr($0, RSTART + RLENGTH)
	for (i = 2; i <= NF && $i != "if"; i++) {
		only_if[$i] = condition
		has_event(part, $i)
	}
	next
}
/^\|/ {
	if (!file) { complain(FILENAME ":" FNR ": no file was named"); next }
	context[++nr_context] = norm(substr($0, 2))
	block[++nr_block] = ""
	is_new[nr_block] = 0
	next
}
/^\+/ {
	block[++nr_block] = substr($0, 2)
	is_new[nr_block] = 1
	after[nr_block] = nr_context
	next
}
/^#/ || /^[ \t]*$/ { next }
{ complain(FILENAME ":" FNR ": a line begins with @@, |, +, #, needs, source or events, not `" substr($0, 1, 20) "'") }

END {
	place()
	if (bad)
		exit 1
	for (f = 1; f <= nr_files; f++) {
		file = order[f]
		out = tmp "/" f
		printf "%s", add[file, 0] > out
		for (i = 1; i <= nr_lines[file]; i++)
			printf "%s\n%s", text[file, i], add[file, i] > out
		close(out)
		print f " " file > (tmp "/files")
	}
	for (i = 1; i <= nr_events; i++) {
		line = "BTAP_EV_" events[i] ", /* part " part_of[events[i]] " */"
		if (only_if[events[i]] != "")
			line = "#if " only_if[events[i]] "\n" line "\n#endif"
		print line > (tmp "/able")
	}
}
