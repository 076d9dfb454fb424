#!/bin/sh
# Written by: tadactl hook install PLATFORM. To take it out: tadactl hook uninstall PLATFORM.
# Before each tool call it asks tadactl. TITLE looks only at what a hook prints, so whatever
# goes wrong prints that the call is cancelled.
answer=$(LINE)
case $?$answer in
0{*audit*}) ;;
'2{"cancel":true,'*audit*}) ;;
*) answer='{"cancel":true,"errorMessage":"tada-run: blocked: no whole answer in time"}' ;;
esac
printf '%s\n' "$answer"
