#!/bin/bash
# eval in a comment
source ./lib.sh
. 'other.sh'
. "$HOME/dynamic.sh"
build() {
  if a; then for x in y; do case $x in a) b;; *) c;; esac; done; elif b; then c; fi
  eval "$x"
  echo "eval x"
}
function deploy { echo; }
