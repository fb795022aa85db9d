import type { ValueKind } from '../values/value.ts'
import { type DealField, dealFields, personFields } from './deal.ts'

/** Kinds of text fields that do not contain plain text. */
const ofTexts: Partial<Record<DealField, ValueKind>> = {
  zipCode: 'numericText',
  primaryPhone: 'numericText',
  hoaNumber: 'numericText',
  adderPpw: 'numericText',
  systemSize: 'size',
  numberOfBatteries: 'numericText',
  numberOfInverters: 'numericText',
  numberOfModules: 'numericText',
  loanAmount: 'numericText',
  designToolAProjectId: 'numericText',
  designToolBProjectId: 'numericText',
  designToolCProjectId: 'numericText',
  stageId: 'numericText',
  pipelineId: 'numericText',
  proposalLink: 'link',
  hicAgreement: 'fileId',
}

const ofKinds = {
  int64: 'id',
  text: 'text',
  double: 'number',
  money: 'number',
  flag: 'flag',
  time: 'time',
} as const

/**
 * Returns the kind of value that a field such as `amount`, `owner.email` or `partner` contains. Returns null
 * for an entire person or an unknown field.
 */
export function valueKindOf(field: string): ValueKind | null {
  if (field === 'partner') return 'text'
  const [name, part, ...rest] = field.split('.') as [string, ...string[]]
  if (!Object.hasOwn(dealFields, name) || rest.length > 0) return null
  const { kind } = dealFields[name as DealField]
  if (part === undefined) return kind === 'person' ? null : (ofTexts[name as DealField] ?? ofKinds[kind])
  if (kind !== 'person') return null
  if (part === 'name') return 'text'
  return Object.hasOwn(personFields, part)
    ? ofKinds[personFields[part as keyof typeof personFields].kind]
    : null
}
