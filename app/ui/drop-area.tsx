import { type ReactNode, useState } from 'react'

/** Shows the label of a file field. Users can also drop files on the label. */
export function DropArea({
  onDrop,
  className,
  children,
}: {
  onDrop: (files: FileList) => void
  className: string
  children: ReactNode
}) {
  const [isOver, setIsOver] = useState(false)
  return (
    <label
      onDragOver={(event) => {
        event.preventDefault()
        setIsOver(true)
      }}
      onDragLeave={() => setIsOver(false)}
      onDrop={(event) => {
        event.preventDefault()
        setIsOver(false)
        onDrop(event.dataTransfer.files)
      }}
      className={`flex cursor-pointer flex-col items-center gap-1 rounded-xl border border-dashed text-center focus-within:outline-2 focus-within:outline-offset-2 focus-within:outline-accent ${className} ${isOver ? 'border-accent bg-sunken' : 'border-control hover:bg-sunken'}`}
    >
      {children}
    </label>
  )
}
