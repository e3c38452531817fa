npm install --save-dev typescript @types/node @types/express
