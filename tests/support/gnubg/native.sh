#!/bin/sh
# Build gnubg from Debian's source for the processor of this machine (FMA, AVX): FOLDER/bin/gnubg.
# usage: native.sh [FOLDER], as root; by default where docs/strength.md takes it from
set -eu
folder=${1:-/opt/gnubg-native}
mkdir -p "$folder/apt/lists/partial" "$folder/apt/cache/archives/partial"
cd "$folder"
apt-get install -y --no-install-recommends build-essential bison flex libglib2.0-dev \
    libsqlite3-dev python3-dev
. /etc/os-release
cat >apt/source.sources <<END
Types: deb-src
URIs: http://deb.debian.org/debian
Suites: $VERSION_CODENAME
Components: main
Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg
END
own="-o Dir::Etc::SourceList=/dev/null -o Dir::Etc::SourceParts=$folder/apt -o APT::Sandbox::User=root
    -o Dir::State::Lists=$folder/apt/lists -o Dir::Cache=$folder/apt/cache"
apt-get $own update
apt-get $own source --download-only gnubg
rm -rf source
dpkg-source -x gnubg_*.dsc source
cd source
./configure --prefix="$folder" --enable-simd=fma --without-gtk --without-board3d \
    --with-python=/usr/bin/python3 CFLAGS="-O3 -march=native"
make
make install
