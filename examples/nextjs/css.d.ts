/** Style sheets, also before Next.js has generated types of its own. */
declare module '*.css'
