# run.sh - runs the scripts that are named, each in a place of its own, between lines that part the console.
for name in "$@"; do
    mkdir -p /tmp/$name; cd /tmp/$name
    echo "== $name"
    sh /suite/$name.sh
    echo "== $name: status $?"
done
