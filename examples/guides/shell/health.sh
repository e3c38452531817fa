curl --fail http://localhost:4400/x/ready
