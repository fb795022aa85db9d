/** The filter of a subscription as its form shows it. */
export interface FilterText {
  stage: string
  pipeline: string
  state: string
  amountMin: string
  amountMax: string
  /** The rest, as a query. */
  more: string
}

const single = ['stage', 'pipeline', 'state', 'amountMin', 'amountMax'] as const

/** Returns the fields of a filter, which is a query or an object; alternatives and other conditions are in `more`. */
export function filterTextOf(filter: unknown): FilterText {
  const params = new URLSearchParams(
    typeof filter === 'string' ? filter.slice(filter.indexOf('?') + 1) : pairsOf(filter),
  )
  const text: FilterText = { stage: '', pipeline: '', state: '', amountMin: '', amountMax: '', more: '' }
  for (const name of single) {
    const values = params.getAll(name)
    if (values.length !== 1) continue
    text[name] = values[0]!
    params.delete(name)
  }
  return { ...text, more: String(params) }
}

const pairsOf = (filter: unknown): [string, string][] =>
  Object.entries((filter ?? {}) as Record<string, unknown>).flatMap(([name, value]) =>
    [value].flat().map((each): [string, string] => [name, String(each)]),
  )

/** Returns a filter as a query; empty without conditions. */
export function queryOfText({ more, ...text }: FilterText): string {
  const params = new URLSearchParams(more)
  for (const name of single) if (text[name].trim() !== '') params.append(name, text[name].trim())
  return String(params)
}
