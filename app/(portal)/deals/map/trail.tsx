import { ChevronRight } from 'lucide-react'
import { type Level, nameOfLevel } from './places.ts'

/** Shows where the map is, with what contains it. */
export function Trail({ level, goTo }: { level: Level; goTo: (place: string | null) => void }) {
  const state = level.kind === 'county' ? level.county.state : null
  const here = nameOfLevel(level)
  return (
    <nav aria-label="Place" className="flex min-h-12 flex-wrap items-center gap-x-1 px-4 py-2">
      {here === null ? (
        <h2 className="font-semibold">United States</h2>
      ) : (
        <>
          <TrailButton name="United States" onClick={() => goTo(null)} />
          {state !== null && <TrailButton name={state} onClick={() => goTo(state)} />}
          <h2 className="font-semibold">{here}</h2>
        </>
      )}
    </nav>
  )
}

const TrailButton = ({ name, onClick }: { name: string; onClick: () => void }) => (
  <>
    <button type="button" onClick={onClick} className="rounded text-accent hover:underline">
      {name}
    </button>
    <ChevronRight aria-hidden="true" className="size-4 text-ink-soft" />
  </>
)
