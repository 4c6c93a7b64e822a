#!/bin/sh
# Prints an assembler file with the bytes of every asset and a table of {name, bytes, length},
# sorted by name. Names drop "configs/": configs/keys.ini is "keys.ini".
printf '\t.section .rodata\n'
i=0
for file in "$@"; do
	name=${file#configs/}
	printf '.Lname%d:\t.asciz "%s"\n.Lbytes%d:\t.incbin "%s"\n.Lend%d:\t.byte 0\n' \
		$i "$name" $i "$file" $i
	i=$((i + 1))
done
printf '\t.section .data.rel.ro,"aw"\n\t.balign 8\n\t.globl asset_table\nasset_table:\n'
n=0
while [ $n -lt $i ]; do
	printf '\t.quad .Lname%d\n\t.quad .Lbytes%d\n\t.quad .Lend%d - .Lbytes%d\n' $n $n $n $n
	n=$((n + 1))
done
printf '\t.section .rodata\n\t.balign 8\n\t.globl asset_table_count\nasset_table_count:\t.quad %d\n' $i
printf '\t.section .note.GNU-stack,"",%%progbits\n'
