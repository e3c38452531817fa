import config from '../fixture/next.config.ts'

/** The settings of a new application, under which handlers of GET are tried by the build. */
const tried = { ...config, cacheComponents: true }

export default tried
