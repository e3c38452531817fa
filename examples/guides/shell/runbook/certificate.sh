(
  set -eu
  openssl x509 -in login.example.com.pem -noout -enddate -checkend 604800
  systemctl restart latchkey
  curl --silent --fail --retry 30 --retry-all-errors --retry-delay 1 https://login.example.com/x/ready
)
