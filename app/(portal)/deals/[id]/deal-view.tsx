'use client'

import {
  Braces,
  CircleDollarSign,
  FileSearch,
  History as HistoryIcon,
  MessageCircleQuestionMark,
  NotebookText,
} from 'lucide-react'
import { useSearchParams } from 'next/navigation'
import { useEffect, useState } from 'react'
import { trpc } from '#app/trpc.ts'
import { button } from '#app/ui/button-styles.ts'
import type { Format } from '#app/ui/format.ts'
import { isFocusFree } from '#app/ui/keyboard.tsx'
import { lazyPart } from '#app/ui/load-part.ts'
import { Notice } from '#app/ui/notice.tsx'
import { Loading, NotLoaded, SectionNotLoaded } from '#app/ui/states.tsx'
import { useFormat, useZone } from '#app/ui/times.tsx'
import { useViewer } from '#app/ui/viewer.tsx'
import type { DealField, KnownDeal } from '#server/deals/deal.ts'
import { isTechnical, type Observed, type ObservedDeal, withObserved } from '#server/deals/event.ts'
import { evidenceOf } from '#server/deals/evidence.ts'
import { stepNow } from '#server/deals/flow.ts'
import { expectedSteps, paymentOf } from '#server/deals/payment.ts'
import { timelineOf } from '#server/deals/timeline.ts'
import type { HistoryPage } from '#server/search/router.ts'
import type { Prepared } from '#server/values/prepared.ts'
import { hourMs } from '#server/values/units.ts'
import { dayOf } from '#server/values/zone.ts'
import { DealFacts, DealSection } from '../deal-parts.tsx'
import { fieldLabels, fieldText } from '../fields.ts'
import { FromTo } from '../from-to.tsx'
import { useStageOf } from '../stages-of-page.tsx'
import { DealFiles } from './deal-files.tsx'
import { DealHead } from './deal-head.tsx'
import { Flags, DealPeople, Hoa, HomeownerSection, SystemSection } from './deal-sections.tsx'
import { rawFields } from './fact-text.ts'
import { Timeline } from './timeline-section.tsx'

const Questions = lazyPart(
  () => import('./questions.tsx').then((module) => module.Questions),
  () => <Loading what="questions" />,
)

const valueOf = (prepared: Prepared<KnownDeal & { observed: Observed }>) => withObserved(prepared.value())

/** Shows a deal. */
export function DealView({ id }: { id: string }) {
  const { data: deal, dataUpdatedAt, error, refetch } = trpc.deals.show.useQuery({ id }, { select: valueOf })
  // Move the focus to the top of the deal after the focused list row has disappeared.
  useEffect(() => {
    if (isFocusFree()) document.querySelector<HTMLElement>('#content')?.focus({ preventScroll: true })
  }, [])
  if (deal !== undefined) return <Loaded id={id} deal={deal} nowMs={dataUpdatedAt} />
  if (error?.data?.code === 'NOT_FOUND')
    return (
      <Notice icon={FileSearch} level={1} title="Deal not found">
        It was removed or moved to another partner.
      </Notice>
    )
  return <NotLoaded what="this deal" level={1} error={error} retry={refetch} />
}

function Loaded({ id, deal, nowMs }: { id: string; deal: ObservedDeal; nowMs: number }) {
  const { isDeveloper, seesAllPartners } = useViewer()
  const [zone, stageOf] = [useZone(), useStageOf()]
  const opensAtOnce = useSearchParams().has('ask')
  const [isAsking, setAsking] = useState<boolean | null>(opensAtOnce || null)
  const ofPartner = seesAllPartners ? { id } : undefined
  const { data: usual } = trpc.insight.usual.useQuery(ofPartner, { staleTime: hourMs })
  const stage = stageOf(deal.stage)
  const timeline = timelineOf(deal, stage, nowMs, zone)
  const evidence = evidenceOf(deal, stage, nowMs)
  const today = dayOf(new Date(nowMs), zone)
  const at = stepNow(deal, stage.kind, evidence, nowMs, zone)
  const expected = usual === undefined ? {} : expectedSteps(at, usual, timeline, today)
  const payment = usual && paymentOf(deal, stage, evidence, expected.payment, { nowMs, today })
  return (
    <article>
      <DealHead
        id={id}
        deal={deal}
        stage={stage}
        timeline={timeline}
        payment={payment ?? null}
        onAsk={() => setAsking(true)}
        nowMs={nowMs}
      />
      {/* In one column, notes and questions come before the timeline, and contacts before the history. */}
      <div className="grid gap-5 lg:grid-cols-[minmax(0,1fr)_minmax(0,24rem)] lg:grid-rows-[auto_1fr]">
        <div className="flex min-w-0 flex-col gap-5 max-lg:[&>:first-child]:order-last">
          <Timeline steps={timeline} expected={expected} nowMs={nowMs} />
          <Notes deal={deal} nowMs={nowMs} />
          <DealSection title="Questions" icon={MessageCircleQuestionMark}>
            <Questions dealId={id} isAsking={isAsking} setAsking={setAsking} />
          </DealSection>
        </div>
        <div className="flex min-w-0 flex-col gap-5 lg:row-span-2">
          <HomeownerSection deal={deal} />
          <DealPeople deal={deal} />
          <DealFiles dealId={id} agreementId={deal.hicAgreement} />
          <Hoa deal={deal} nowMs={nowMs} />
          <Flags deal={deal} timeline={timeline} />
        </div>
        <div className="flex min-w-0 flex-col gap-5">
          <div className="grid gap-5 xl:grid-cols-2">
            <Money deal={deal} />
            <SystemSection deal={deal} />
          </div>
          <DealSection title="History" icon={HistoryIcon}>
            <Events id={id} />
          </DealSection>
          {isDeveloper && <AllFields deal={deal} />}
        </div>
      </div>
    </article>
  )
}

function AllFields({ deal }: { deal: KnownDeal }) {
  return (
    <details className="rounded-xl border border-line bg-surface">
      <summary className="rounded-xl p-4 font-semibold sm:px-5">
        <Braces aria-hidden="true" className="size-4 text-ink-soft" />
        All fields
        <span className="font-normal text-ink-soft max-sm:hidden">with their names in the API</span>
      </summary>
      <table className="w-full table-fixed border-t border-line text-left text-xs">
        <thead className="sr-only">
          <tr>
            <th scope="col">Field</th>
            <th scope="col">Value</th>
          </tr>
        </thead>
        <tbody>
          {rawFields(deal).map(({ name, text }) => (
            <tr key={name} className="border-t border-line first:border-t-0">
              <th
                scope="row"
                className="w-2/5 py-1.5 pr-3 pl-4 align-top font-mono font-normal wrap-anywhere text-ink-soft sm:pl-5"
              >
                {name}
              </th>
              <td className="py-1.5 pr-4 align-top font-mono whitespace-pre-wrap wrap-anywhere">
                {text ?? <span className="text-ink-soft">null</span>}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  )
}

function Notes({ deal, nowMs }: { deal: KnownDeal; nowMs: number }) {
  const { formatAgo, formatDay, formatInstant } = useFormat()
  const {
    notes,
    notesLastUpdated,
    notesNextActivityDate,
    inspectionNotes,
    inspectionResults,
    reInspectionResults,
  } = deal
  return (
    <DealSection
      title="Notes"
      icon={NotebookText}
      aside={
        notesLastUpdated !== null && (
          <time
            dateTime={notesLastUpdated}
            title={formatInstant(notesLastUpdated)}
            className="text-xs text-ink-soft"
          >
            Updated {formatAgo(notesLastUpdated, nowMs)}
          </time>
        )
      }
    >
      {notes ? (
        <p className="max-w-prose whitespace-pre-wrap wrap-anywhere">{notes}</p>
      ) : (
        <p className="text-ink-soft">No notes yet.</p>
      )}
      {(notesNextActivityDate ?? inspectionResults ?? inspectionNotes ?? reInspectionResults) !== null && (
        <div className="mt-4 border-t border-line pt-4">
          <DealFacts
            none=""
            facts={[
              {
                label: 'Next activity',
                value: notesNextActivityDate && (
                  <time dateTime={notesNextActivityDate} title={formatInstant(notesNextActivityDate)}>
                    {formatDay(notesNextActivityDate, nowMs)}
                  </time>
                ),
              },
              { label: 'Inspection', value: inspectionResults },
              { label: 'Inspection notes', value: inspectionNotes },
              { label: 'Re-inspection', value: reInspectionResults },
            ]}
          />
        </div>
      )}
    </DealSection>
  )
}

const fields: readonly DealField[] = ['amount', 'totalPpw', 'basePpw', 'adderPpw', 'adderCost']

function Money({ deal }: { deal: KnownDeal }) {
  const format = useFormat()
  const adders = (deal.adders ?? '')
    .split(',')
    .map((adder) => adder.trim())
    .filter(Boolean)
  return (
    <DealSection title="Money" icon={CircleDollarSign}>
      <DealFacts
        none="No amounts recorded."
        facts={[
          ...fields.map((field) => ({
            label: fieldLabels[field].label,
            value: amountOf(field, deal, format),
          })),
          {
            label: 'Adders',
            value: adders.length > 0 && (
              <ul className="space-y-1">
                {adders.map((adder, index) => (
                  <li key={index}>{adder}</li>
                ))}
              </ul>
            ),
          },
          { label: 'Lender', value: deal.lender },
          { label: 'Loan amount', value: amountOf('loanAmount', deal, format) },
        ]}
      />
    </DealSection>
  )
}

function amountOf(field: DealField, deal: KnownDeal, format: Format) {
  const text = fieldText(field, deal[field], format)
  return (
    text && <span className={field === 'amount' ? 'font-semibold tabular-nums' : 'tabular-nums'}>{text}</span>
  )
}

type DealEvent = HistoryPage['events'][number]

const pageOf = (prepared: Prepared<HistoryPage>) => prepared.value()

/** Shows the newest events, or those before a sequence number, and loads older ones on demand. */
function Events({ id, before }: { id: string; before?: number }) {
  const query = trpc.deals.history.useQuery(
    { id, ...(before === undefined ? {} : { before }) },
    { select: pageOf },
  )
  const { data: page, dataUpdatedAt: nowMs } = query
  const [isMoreShown, showMore] = useState(false)
  if (page === undefined) return <SectionNotLoaded what="history" query={query} className="pt-3" />
  if (page.events.length === 0 && before === undefined)
    return <p className="text-ink-soft">No changes recorded yet.</p>
  return (
    <>
      <ol aria-label={before === undefined ? 'Events' : 'Older events'} className="divide-y divide-line">
        {page.events.map((event) => (
          <EventRow key={event.sequence} event={event} nowMs={nowMs} />
        ))}
      </ol>
      {page.next !== null &&
        (isMoreShown ? (
          <div className="border-t border-line">
            <Events id={id} before={page.next} />
          </div>
        ) : (
          <button type="button" onClick={() => showMore(true)} className={`${button.plain} mt-4`}>
            Show more
          </button>
        ))}
    </>
  )
}

function EventRow({ event: { type, timestamp, changes }, nowMs }: { event: DealEvent; nowMs: number }) {
  const format = useFormat()
  const visible = changes.filter(({ field }) => !isTechnical(field))
  return (
    <li className="py-3 first:pt-0">
      <div className="flex flex-wrap items-baseline justify-between gap-x-4">
        <h3 className="min-w-0 font-medium wrap-anywhere">{entryTitles[type] ?? titleOf(changes)}</h3>
        <time dateTime={timestamp} title={format.formatInstant(timestamp)} className="text-xs text-ink-soft">
          {format.formatAgo(timestamp, nowMs)}
        </time>
      </div>
      {visible.length > 0 && (
        <dl className="mt-2 grid gap-1.5">
          {visible.map(({ field, from, to }) => (
            <FromTo
              key={field}
              label={fieldLabels[field].label}
              from={fieldText(field, from, format)}
              to={fieldText(field, to, format)}
            />
          ))}
        </dl>
      )}
    </li>
  )
}

const entryTitles: Partial<Record<DealEvent['type'], string>> = {
  'deal.created': 'Deal added',
  'deal.removed': 'Deal removed',
}

function titleOf(changes: DealEvent['changes']): string {
  const stage = changes.find(({ field }) => field === 'stage')?.to
  return typeof stage === 'string' && stage !== '' ? `Moved to ${stage}` : 'Updated'
}
