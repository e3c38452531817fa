(
  set -eu
  (tail -n 1 master.key; echo; head -n -1 master.key) > master.key.new
  chmod 600 master.key.new
  mv master.key.new master.key
)
