'use client'

import { FileSearch, MessageCircleQuestionMark } from 'lucide-react'
import dynamic from 'next/dynamic'
import { useEffect } from 'react'
import { failureMessage } from '#app/failure-message.ts'
import { trpc } from '#app/trpc.ts'
import { isFocusFree } from '#app/ui/focus.ts'
import { Notice } from '#app/ui/notice.tsx'
import { LoadFailure, Loading } from '#app/ui/states.tsx'
import { useZone } from '#app/ui/times.tsx'
import type { KnownDeal } from '#server/deals/deal.ts'
import { evidenceOf } from '#server/deals/milestones/evidence.ts'
import { expectedSteps } from '#server/deals/milestones/expected.ts'
import { stepNow } from '#server/deals/milestones/flow.ts'
import { timelineOf } from '#server/deals/milestones/timeline.ts'
import type { Prepared } from '#server/protocol/prepared.ts'
import { hourMs } from '#server/protocol/units.ts'
import { dayOf } from '#server/protocol/zone.ts'
import { useStageOf } from '../stages-of-page.tsx'
import { Agreement } from './agreement.tsx'
import { AllFields } from './all-fields.tsx'
import { DealHead } from './deal-head.tsx'
import { DealSkeleton } from './deal-skeleton.tsx'
import { DealFiles } from './files/deal-files.tsx'
import { Flags } from './flags.tsx'
import { History } from './history.tsx'
import { Money } from './money.tsx'
import { Notes } from './notes.tsx'
import { DealPeople, Hoa, HomeownerSection } from './people.tsx'
import { DealSection } from './section.tsx'
import { SystemSection } from './system.tsx'
import { Timeline } from './timeline-section.tsx'

// Loaded behind the deal itself.
const Questions = dynamic(() => import('./questions/questions.tsx').then((module) => module.Questions), {
  ssr: false,
  loading: () => <Loading what="questions" />,
})

const valueOf = (prepared: Prepared<KnownDeal>) => prepared.value()

/** Shows a deal. */
export function DealView({ id }: { id: string }) {
  const {
    data: deal,
    dataUpdatedAt: nowMs,
    error,
    refetch,
  } = trpc.deals.show.useQuery({ id }, { select: valueOf })
  const stageOf = useStageOf()
  useEffect(() => {
    // The row that was pressed is gone: the keyboard goes on from the top of the deal.
    if (isFocusFree()) document.querySelector<HTMLElement>('#content')?.focus({ preventScroll: true })
  }, [])
  const zone = useZone()
  const { data: usual } = trpc.insight.usual.useQuery(undefined, { staleTime: hourMs })
  if (deal === undefined)
    return error === null ? (
      <DealSkeleton />
    ) : (
      <NoDeal error={error} isGone={error.data?.code === 'NOT_FOUND'} retry={() => void refetch()} />
    )
  const stage = stageOf(deal.stage)
  const timeline = timelineOf(deal, stage, nowMs, zone)
  const at = stepNow(deal, stage.kind, evidenceOf(deal, stage, nowMs), nowMs, zone)
  const expected = usual === undefined ? {} : expectedSteps(at, usual, timeline, dayOf(new Date(nowMs), zone))
  return (
    <article>
      <DealHead id={id} deal={deal} stage={stage} timeline={timeline} nowMs={nowMs} />
      {/* In one column what one calls about comes before what has been. */}
      <div className="grid gap-5 lg:grid-cols-[minmax(0,1fr)_minmax(0,24rem)] lg:grid-rows-[auto_1fr]">
        <div className="flex min-w-0 flex-col gap-5">
          <Timeline steps={timeline} expected={expected} nowMs={nowMs} />
          <Notes deal={deal} nowMs={nowMs} />
          <DealSection title="Questions" icon={MessageCircleQuestionMark}>
            <Questions dealId={id} />
          </DealSection>
        </div>
        <div className="flex min-w-0 flex-col gap-5 lg:row-span-2">
          <HomeownerSection deal={deal} />
          <DealPeople deal={deal} />
          <Agreement dealId={id} fileId={deal.hicAgreement} />
          <DealFiles dealId={id} agreementId={deal.hicAgreement} />
          <Hoa deal={deal} nowMs={nowMs} />
          <Flags deal={deal} timeline={timeline} />
        </div>
        <div className="flex min-w-0 flex-col gap-5">
          <div className="grid gap-5 xl:grid-cols-2">
            <Money deal={deal} />
            <SystemSection deal={deal} />
          </div>
          <History id={id} />
          <AllFields deal={deal} />
        </div>
      </div>
    </article>
  )
}

function NoDeal({ error, isGone, retry }: { error: unknown; isGone: boolean; retry: () => void }) {
  if (isGone)
    return (
      <Notice icon={FileSearch} level={1} title="Deal not found">
        It was removed or moved to another partner.
      </Notice>
    )
  return (
    <LoadFailure what="this deal" level={1} retry={retry}>
      {failureMessage(error)}
    </LoadFailure>
  )
}
