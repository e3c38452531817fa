import { examples, tryExamples, usual } from './support/examples.ts'

tryExamples(examples.filter(({ name }) => !usual.includes(name)))
