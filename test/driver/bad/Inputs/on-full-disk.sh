#!/bin/sh
# on-full-disk.sh FOLDER COMMAND...: mounts a 64 KiB disk on FOLDER, leaves a few KiB of it
# free, runs the command and lists the files that are there afterwards. For `unshare -m`.
folder=$1; shift
mkdir -p "$folder" && mount -t tmpfs -o size=64k none "$folder" || exit 125
head -c 61440 /dev/zero > "$folder/occupied"
"$@"
status=$?
echo "files: $(cd "$folder" && find . -type f ! -name occupied | sort | tr '\n' ' ')end"
exit $status
