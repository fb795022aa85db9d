import type { ReactNode } from 'react'

/** Meaning of a badge's color. Never the only information, because the text has the same meaning. */
export type Tone = 'neutral' | 'info' | 'wait' | 'good' | 'bad' | 'violet' | 'teal'

const colors: Record<Tone, string> = {
  neutral: 'bg-sunken text-ink-soft',
  info: 'bg-info-soft text-info',
  wait: 'bg-wait-soft text-wait',
  good: 'bg-good-soft text-good',
  bad: 'bg-bad-soft text-bad',
  violet: 'bg-violet-soft text-violet',
  teal: 'bg-teal-soft text-teal',
}

/** Shows a short colored label. */
export function Badge({ tone, children }: { tone: Tone; children: ReactNode }) {
  return (
    <span
      className={`block w-fit max-w-full truncate rounded-full px-2.5 py-0.5 text-xs font-medium ${colors[tone]}`}
    >
      {children}
    </span>
  )
}
