export { default } from '../fixture/next.config.ts'
