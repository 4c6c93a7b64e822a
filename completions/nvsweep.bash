# bash completion for nvsweep. Made by `make docs`; do not edit.
_nvsweep_ask()
{
	COMPREPLY=($(compgen -W "$("${COMP_WORDS[0]}" --document "words-$1" 2>/dev/null)" -- "$cur"))
}

_nvsweep()
{
	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}
	local command= operands=0 i

	COMPREPLY=()
	for ((i = 1; i < COMP_CWORD; i++)); do
		case ${COMP_WORDS[i]} in
		--replay|--page|--method|--set|--size|-o|--output|--format|--filter|--tag|--untag|--note|--config|--theme|--debug) ((i++)) ;;
		=) ((i++)) ;;
		-*) ;;
		*) if [[ -z $command ]]; then command=${COMP_WORDS[i]}; else ((operands++)); fi ;;
		esac
	done
	case $prev in
	--replay) COMPREPLY=($(compgen -f -- "$cur")); return ;;
	--page) COMPREPLY=($(compgen -W "health identify smart environment namespaces" -- "$cur")); return ;;
	--method) COMPREPLY=($(compgen -W "curve depth fixed" -- "$cur")); return ;;
	--set) COMPREPLY=($(compgen -W "outstanding= rate_iops= arrivals= pace= area_pct= offset_bytes= bytes= warmup_s= point_s= points= maximum_s= depths= p99_limit_us= block_bytes= read_pct= random_pct= reducible_pct= prepare= prepare_passes= seed= backend= polled= workers= time_factor=" -- "$cur")); compopt -o nospace; return ;;
	--size) :; return ;;
	-o|--output) COMPREPLY=($(compgen -f -- "$cur")); return ;;
	--format) COMPREPLY=($(compgen -W "text json csv" -- "$cur")); return ;;
	--filter) :; return ;;
	--tag) _nvsweep_ask tags; return ;;
	--untag) _nvsweep_ask tags; return ;;
	--note) :; return ;;
	--config) COMPREPLY=($(compgen -f -- "$cur")); return ;;
	--theme) _nvsweep_ask themes; return ;;
	--debug) COMPREPLY=($(compgen -f -- "$cur")); return ;;
	esac
	case $command in
	"")
		if [[ $cur == -* ]]; then
			COMPREPLY=($(compgen -W "--replay --demo --plain --config --theme --debug --version -h --help" -- "$cur"))
		else
			COMPREPLY=($(compgen -W "list show health check capture workloads run attach results compare report doctor" -- "$cur"))
		fi ;;
	list)
		if [[ $cur == -* ]]; then
			COMPREPLY=($(compgen -W "--json --replay --demo --config --theme --debug --version -h --help" -- "$cur"))
		else
			:
		fi ;;
	show)
		if [[ $cur == -* ]]; then
			COMPREPLY=($(compgen -W "--json --replay --demo --page --config --theme --debug --version -h --help" -- "$cur"))
		else
			_nvsweep_ask drives
		fi ;;
	health)
		if [[ $cur == -* ]]; then
			COMPREPLY=($(compgen -W "--json --replay --demo --config --theme --debug --version -h --help" -- "$cur"))
		else
			_nvsweep_ask drives
		fi ;;
	check)
		if [[ $cur == -* ]]; then
			COMPREPLY=($(compgen -W "--json --demo --set --config --theme --debug --version -h --help" -- "$cur"))
		else
			_nvsweep_ask drives; COMPREPLY+=($(compgen -f -- "$cur"))
		fi ;;
	capture)
		if [[ $cur == -* ]]; then
			COMPREPLY=($(compgen -W "--demo -o --output --config --theme --debug --version -h --help" -- "$cur"))
		else
			_nvsweep_ask drives
		fi ;;
	workloads)
		if [[ $cur == -* ]]; then
			COMPREPLY=($(compgen -W "--json --config --theme --debug --version -h --help" -- "$cur"))
		else
			:
		fi ;;
	run)
		if [[ $cur == -* ]]; then
			COMPREPLY=($(compgen -W "--json --demo --method --set --size --write -o --output --detach --config --theme --debug --version -h --help" -- "$cur"))
		else
			if ((operands == 0)); then _nvsweep_ask workloads; else
			_nvsweep_ask drives; COMPREPLY+=($(compgen -f -- "$cur")); fi
		fi ;;
	attach)
		if [[ $cur == -* ]]; then
			COMPREPLY=($(compgen -W "--json --stop --plain --config --theme --debug --version -h --help" -- "$cur"))
		else
			_nvsweep_ask runs
		fi ;;
	results)
		if [[ $cur == -* ]]; then
			COMPREPLY=($(compgen -W "--json --filter --tag --untag --note --delete --running --config --theme --debug --version -h --help" -- "$cur"))
		else
			_nvsweep_ask runs
		fi ;;
	compare)
		if [[ $cur == -* ]]; then
			COMPREPLY=($(compgen -W "--json --config --theme --debug --version -h --help" -- "$cur"))
		else
			_nvsweep_ask runs
		fi ;;
	report)
		if [[ $cur == -* ]]; then
			COMPREPLY=($(compgen -W "-o --output --format --config --theme --debug --version -h --help" -- "$cur"))
		else
			_nvsweep_ask runs
		fi ;;
	doctor)
		if [[ $cur == -* ]]; then
			COMPREPLY=($(compgen -W "--json --config --theme --debug --version -h --help" -- "$cur"))
		else
			:
		fi ;;
	esac
}
complete -F _nvsweep nvsweep
