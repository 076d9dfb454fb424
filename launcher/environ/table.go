package environ

import "strings"

// showers are editors and pagers, and the programs by which one says that there shall be none.
var showers = strings.Fields(`
	: true false none cat less more most lv ov moar moor bat batcat delta diff-so-fancy w3m
	vi vim vim.basic vim.tiny nvim view gvim mvim neovide nano pico micro hx helix kak ed joe jed ne mg mcedit emacs emacsclient
	code code-insiders codium cursor windsurf zed zeditor subl mate atom gedit kate kwrite mousepad pluma xed notepad idea pycharm goland webstorm rubymine clion phpstorm
	editor sensible-editor pager sensible-pager sensible-browser xdg-open open wslview firefox chromium google-chrome lynx links
`)

// plainOptions are those with which none of the showers reads another file, or takes for commands
// the one that it shows: with -S, vim does.
var plainOptions = strings.Fields(`
	-w --wait -W -n -nw -f --nofork --new-window --reuse-window +Man!
	-R -F -X -S -i -r -FR -FX -RX -RS -SR -iR -iRX -FRX -FRSX -FRXS -SRX -XRS -FRi -FRXi -FRXMK --no-init --RAW-CONTROL-CHARS --quit-if-one-screen --chop-long-lines -x4 -x8 --tabs=4
	--plain --paging=never --paging=always --side-by-side --line-numbers --dark --light --color-only --color=always --style=plain
`)

// programFolders are where programs lie that no command of an ordinary user has put there.
var programFolders = []string{"/bin", "/usr/bin", "/usr/local/bin", "/usr/libexec", "/snap/bin",
	"/home/linuxbrew/.linuxbrew/bin", "/opt/homebrew/bin", "/opt/local/bin", "/nix/store/*",
	"/run/current-system/sw/bin"}
