import { type ComponentProps, useId } from 'react'

/** Something to be chosen from a few, with its label. */
export function SelectField({ label, isLabelShown = true, choices, className = '', ...select }: ComponentProps<'select'> & {
  label: string
  /** Otherwise it is read out only. */
  isLabelShown?: boolean
  choices: readonly { value: string; label: string }[]
}) {
  const id = useId()
  return (
    <div className={`flex flex-col gap-1.5 ${className}`}>
      <label htmlFor={id} className={isLabelShown ? 'w-fit font-medium' : 'sr-only'}>{label}</label>
      <select id={id} {...select} className="h-11 rounded-lg border border-control bg-surface px-3 text-base sm:h-10 sm:text-sm">
        {choices.map((choice) => <option key={choice.value} value={choice.value}>{choice.label}</option>)}
      </select>
    </div>
  )
}
