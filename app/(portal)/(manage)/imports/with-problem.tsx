import { CircleAlert } from 'lucide-react'
import { type ReactNode, useId } from 'react'

/** Shows a control with its problem below. */
export function WithProblem({
  problem,
  children,
}: {
  problem: string | undefined
  children: (attributes: { 'aria-invalid'?: true; 'aria-describedby'?: string }) => ReactNode
}) {
  const id = useId()
  return (
    <div className="flex flex-col gap-1.5">
      {children(problem === undefined ? {} : { 'aria-invalid': true, 'aria-describedby': id })}
      <div role="alert" className="empty:sr-only">
        {problem !== undefined && (
          <p id={id} className="flex gap-1.5 text-pretty text-bad">
            <CircleAlert aria-hidden="true" className="mt-0.5 size-4 shrink-0" />
            {problem}
          </p>
        )}
      </div>
    </div>
  )
}
