import { watchForLeaks } from './watch-for-leaks.ts'

watchForLeaks()
