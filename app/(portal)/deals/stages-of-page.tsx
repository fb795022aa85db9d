'use client'

import { type ReactNode, createContext, useContext, useMemo } from 'react'
import { Badge } from '#app/ui/badge.tsx'
import { type Stage, type StageOf, makeStageOf } from '#server/stages/stage.ts'
import { stageLooks } from './stage-looks.ts'

const StageContext = createContext<StageOf>(makeStageOf([]))

/** Provides the stages loaded by the server to the pages below. */
export function StagesOfPage({ stages, children }: { stages: Stage[]; children: ReactNode }) {
  const stageOf = useMemo(() => makeStageOf(stages), [stages])
  return <StageContext value={stageOf}>{children}</StageContext>
}

/** Returns a lookup of stages by name. */
export const useStageOf = (): StageOf => useContext(StageContext)

/** The stage of a deal in its color. */
export function StageBadge({ stage }: { stage: string }) {
  return <Badge tone={stageLooks[useStageOf()(stage).tone].badge}>{stage}</Badge>
}
