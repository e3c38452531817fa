curl 'http://localhost:3000/__latchkey?text'
