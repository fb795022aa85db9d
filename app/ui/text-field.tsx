import { type InputHTMLAttributes, useId } from 'react'

/** A line of text to fill in, with its label. */
export function TextField({ label, ...input }: { label: string } & InputHTMLAttributes<HTMLInputElement>) {
  const id = useId()
  return (
    <div className="flex flex-col gap-1.5">
      <label htmlFor={id} className="font-medium">{label}</label>
      {/* 16 px on phones: a smaller one makes iOS zoom in. */}
      <input id={id} {...input} className="h-11 rounded-lg border border-control bg-surface px-3 text-base sm:h-10 sm:text-sm" />
    </div>
  )
}
