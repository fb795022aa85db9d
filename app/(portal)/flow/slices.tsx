import { useQueryStates } from 'nuqs'
import { trpc } from '#app/trpc.ts'
import { formatCount } from '#app/ui/format.ts'
import { Link } from '#app/ui/link.tsx'
import { QueryState } from '#app/ui/states.tsx'
import { refetchOld } from '#app/ui/times.tsx'
import { type FlowStep, flowSteps } from '#server/deals/milestones/flow.ts'
import { stepLabels } from '#server/deals/milestones/labels.ts'
import type { FlowFigures, SliceFigures } from '#server/insight/flow/wire.ts'
import { LeftOut } from '../overview/left-out.tsx'
import { listHref } from '../overview/list-href.ts'
import { DealsLink } from './deals-link.tsx'
import { conversionLeftOut, lengthsLeftOut, measureLabels, shareText, sliceLabels } from './labels.ts'
import { flowParsers } from './query.ts'
import { SlicedFoot, SlicedSection, choicesOf, valueName } from './sliced.tsx'

type Value = SliceFigures['values'][number]
type Measure = keyof typeof measureLabels

/** Names stay in sight while the steps are scrolled. */
const nameCell = 'sticky left-0 bg-surface px-4 text-left font-medium min-w-32 sm:min-w-44'

/** Shows the steps by the values of a field that can be chosen. */
export function Slices({ figures }: { figures: FlowFigures }) {
  const [{ by, show, months }, setState] = useQueryStates(flowParsers)
  const query = trpc.insight.flowSlices.useQuery({ months, slice: by }, { refetchInterval: refetchOld })
  return (
    <SlicedSection
      labels={sliceLabels}
      by={by}
      onBy={(name) => void setState({ by: name })}
      other={{
        label: 'Show',
        choices: choicesOf(measureLabels),
        value: show,
        onChange: (measure) => void setState({ show: measure }),
      }}
    >
      <QueryState what="slices" query={query} data={query.data}>
        {(slices) => <SliceTable slices={slices} figures={figures} measure={show} />}
      </QueryState>
    </SlicedSection>
  )
}

/** Returns the figure of a step as text; empty when it is not known. */
function figureOf(value: Value, step: FlowStep, measure: Measure): string {
  if (measure !== 'reached') return String(value.steps[step].now.usual?.[measure] ?? '')
  return shareText(reachedOf(value, step).count, value.reached[0]!.count)
}

const reachedOf = ({ reached }: Value, step: FlowStep) => reached.find(({ reach }) => reach === step)!

function SliceTable({
  slices: { slice, values, valueCount },
  figures,
  measure,
}: {
  slices: SliceFigures
  figures: FlowFigures
  measure: Measure
}) {
  return (
    <>
      <div className="relative overflow-x-auto rounded-xl border border-line bg-surface">
        <table className="w-full text-right tabular-nums">
          <caption className="sr-only">
            {measureLabels[measure]} by {sliceLabels[slice].toLowerCase()}
          </caption>
          <thead className="text-xs text-ink-soft">
            <tr>
              <th scope="col" className={`${nameCell} py-2.5`}>
                {sliceLabels[slice]}
              </th>
              <th scope="col" className="px-3 py-2.5 font-medium">
                Created
              </th>
              {flowSteps.map((step) => (
                <th key={step} scope="col" className="px-3 py-2.5 font-medium">
                  {stepLabels[step]}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {values.map((value) => (
              <SliceRow key={value.value} value={value} figures={figures} measure={measure} />
            ))}
          </tbody>
        </table>
      </div>
      <LeftOut
        className="mt-2"
        parts={(measure === 'reached' ? conversionLeftOut : lengthsLeftOut)(figures.leftOut)}
      />
      <SlicedFoot
        name={`Flow by ${sliceLabels[slice].toLowerCase()}`}
        valueCount={valueCount}
        titles={[sliceLabels[slice], 'Created', ...Object.values(stepLabels)]}
        rows={values.map((value) => [
          valueName(value.value),
          String(value.reached[0]!.count),
          ...flowSteps.map((step) => figureOf(value, step, measure)),
        ])}
      />
    </>
  )
}

function SliceRow({ value, figures, measure }: { value: Value; figures: FlowFigures; measure: Measure }) {
  return (
    <tr className="border-t border-line">
      <th scope="row" className={`${nameCell} py-2`}>
        <Link href={listHref(value.filter)} prefetch={false} className="rounded hover:underline">
          {valueName(value.value)}
        </Link>
      </th>
      <td className="px-3 py-2">
        <DealsLink {...value.reached[0]!}>{formatCount(value.reached[0]!.count)}</DealsLink>
      </td>
      {figures.steps.map(({ step, now }) => (
        <td key={step} className="px-3 py-2">
          {measure === 'reached' ? (
            <DealsLink {...reachedOf(value, step)}>{figureOf(value, step, measure)}</DealsLink>
          ) : (
            <DealsLink
              count={value.steps[step].now.count}
              filter={{ ...now.filter, ...value.filter }}
              sort={now.sort}
            >
              {figureOf(value, step, measure) || '–'}
              <span className="sr-only"> of {formatCount(value.steps[step].now.count)}</span>
            </DealsLink>
          )}
        </td>
      ))}
    </tr>
  )
}
