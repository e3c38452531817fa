latchkey-service serve --host 0.0.0.0 --tls-cert login.example.com.pem --tls-key login.example.com.key
