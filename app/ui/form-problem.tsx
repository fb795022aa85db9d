import { CircleAlert } from 'lucide-react'

/** Says what is wrong with a form as a whole. It is there from the start, so that what comes into it is read out. */
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
