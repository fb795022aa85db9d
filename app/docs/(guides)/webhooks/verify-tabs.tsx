import { type Code, GuideCode } from '../../guide-code.tsx'
import { exampleRequest, languages } from './verify-programs.ts'

const codes = languages.map(({ name, run, program }) => ({
  language: name,
  caption: run,
  text: program(exampleRequest).trimEnd(),
})) as [Code, ...Code[]]

/** Shows programs that verify a signature, one tab per language, with the commands that run them. */
export const VerifyPrograms = () => <GuideCode codes={codes} />
