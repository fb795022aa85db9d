import { CircleAlert } from 'lucide-react'

/** Shows the problem of a whole form. Always rendered, so that screen readers announce changes. */
export function FormProblem({ problem }: { problem: string | null }) {
  return (
    <div role="alert" className="empty:sr-only">
      {problem !== null && (
        <p className="flex gap-2 rounded-lg bg-bad-soft px-3 py-2.5 text-pretty text-bad">
          <CircleAlert aria-hidden="true" className="mt-0.5 size-4 shrink-0" />
          {problem}
        </p>
      )}
    </div>
  )
}
