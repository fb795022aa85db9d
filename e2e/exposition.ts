// The Prometheus text format (https://prometheus.io/docs/instrumenting/exposition_formats/), parsed like a
// collector does.

const metricName = '[a-zA-Z_:][a-zA-Z0-9_:]*'
const label = '[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\\\\n]|\\\\[\\\\"n])*"'
const number = '[+-]?(?:\\d+(?:\\.\\d*)?(?:e[+-]?\\d+)?|\\.\\d+|Inf)|NaN'
const sample = new RegExp(
  `^(${metricName})(?:\\{((?:${label}(?:,${label})*)?,?)\\})? (${number})(?: \\d+)?$`,
  'i',
)
const help = new RegExp(`^# HELP (${metricName}) .+$`)
const type = new RegExp(`^# TYPE (${metricName}) (counter|gauge|histogram|summary|untyped)$`)

interface Sample {
  name: string
  labels: string[]
  value: number
}

function readSample(line: string): Sample | null {
  const match = sample.exec(line)
  if (match === null) return null
  const [, name, labels, value] = match as unknown as [string, string, string | undefined, string]
  return {
    name,
    labels: labels?.match(new RegExp(label, 'g'))?.toSorted() ?? [],
    value: Number(value.replace('Inf', 'Infinity')),
  }
}

const keyOf = ({ name, labels }: Sample) => (labels.length === 0 ? name : `${name}{${labels.join(',')}}`)

/** Returns all samples by name and sorted labels, such as `requests_total{status="200"}`. */
export function samplesOf(text: string): Record<string, number> {
  return Object.fromEntries(
    text
      .split('\n')
      .map(readSample)
      .filter((each) => each !== null)
      .map((each) => [keyOf(each), each.value]),
  )
}

/** Returns the lines that violate the format or its conventions. */
export function faultsOf(text: string): string[] {
  const faults = text.endsWith('\n') ? [] : ['no line feed at the end']
  const types = new Map<string, string>()
  const helped = new Set<string>()
  const seen = new Set<string>()
  let group = ''
  for (const line of text.split('\n')) {
    if (line === '') continue
    const [isHelp, isType, read] = [help.exec(line), type.exec(line), readSample(line)]
    if (isHelp !== null) {
      group = isHelp[1]!
      if (helped.has(group)) faults.push(`${line}: twice`)
      helped.add(group)
    } else if (isType !== null) {
      if (isType[1] !== group || types.has(group)) faults.push(`${line}: out of place`)
      types.set(group, isType[2]!)
      if (group.startsWith('partner_deals_') && (isType[2] === 'counter') !== group.endsWith('_total'))
        faults.push(`${line}: a counter and nothing else ends in _total`)
    } else if (read === null) {
      faults.push(line)
    } else {
      const own =
        types.get(group) === 'histogram' || types.get(group) === 'summary'
          ? read.name.replace(/_(?:bucket|sum|count)$/, '')
          : read.name
      if (own !== group) faults.push(`${line}: not of ${group}`)
      if (seen.has(keyOf(read))) faults.push(`${line}: twice`)
      seen.add(keyOf(read))
    }
  }
  return faults
}
