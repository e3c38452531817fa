npm install @opentelemetry/api @opentelemetry/context-async-hooks @opentelemetry/core \
  @opentelemetry/exporter-trace-otlp-http @opentelemetry/resources @opentelemetry/sdk-trace
export OTEL_EXPORTER_OTLP_ENDPOINT=http://localhost:4318
node --import ./telemetry.js node_modules/@latchkey/service/dist/cli/main.js serve --data ./data
