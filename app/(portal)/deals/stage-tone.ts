import type { Tone } from '#app/ui/badge.tsx'

// Stages are what the installer's staff calls them, so that only words can be gone by. The first that matches decides.
const tones: [RegExp, Tone][] = [
  [/cancel|lost|reject|fail/i, 'bad'],
  [/hold|pause|waiting|awaiting|pending|review/i, 'wait'],
  [/complete|approved|funded|closed won|\bpto\b/i, 'good'],
  [/survey|design|cad|engineering|preparation|lead|new/i, 'neutral'],
]

/** The tone in which a stage is shown. */
export function stageTone(stage: string): Tone {
  return tones.find(([words]) => words.test(stage))?.[1] ?? 'info'
}
