'use client'

import { type ReactNode, createContext, useContext, useMemo } from 'react'
import { Badge, type Tone } from '#app/ui/badge.tsx'
import { type Stage, type StageOf, makeStageOf, type StageTone } from '#server/stages/stage.ts'

const StageContext = createContext<StageOf>(makeStageOf([]))

/** Provides the stages loaded by the server to the components inside. */
export function StagesOfPage({ stages, children }: { stages: Stage[]; children: ReactNode }) {
  const stageOf = useMemo(() => makeStageOf(stages), [stages])
  return <StageContext value={stageOf}>{children}</StageContext>
}

/** Returns a function that looks up stages by name. */
export const useStageOf = (): StageOf => useContext(StageContext)

/** Shows the stage of a deal in the stage's color. */
export function StageBadge({ stage }: { stage: string }) {
  return <Badge tone={stageLooks[useStageOf()(stage).tone].badge}>{stage}</Badge>
}

/** Styles of each stage color: as a badge, a dot and a bar. */
export const stageLooks: Record<StageTone, { badge: Tone; dot: string; bar: string }> = {
  gray: { badge: 'neutral', dot: 'bg-control', bar: 'fill-control' },
  blue: { badge: 'info', dot: 'bg-info', bar: 'fill-info' },
  violet: { badge: 'violet', dot: 'bg-violet', bar: 'fill-violet' },
  teal: { badge: 'teal', dot: 'bg-teal', bar: 'fill-teal' },
  green: { badge: 'good', dot: 'bg-good', bar: 'fill-good' },
}
