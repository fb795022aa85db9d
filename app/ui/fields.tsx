'use client'

import { CircleAlert, Eye, EyeOff } from 'lucide-react'
import { type ReactNode, useState, type ComponentProps, useId } from 'react'
import { IconButton } from './button.tsx'
import { useTyped } from './use-typed.ts'

/** Style of text inputs. On phones the font size is 16 px, because iOS zooms in on smaller text. */
const control =
  'h-11 w-full rounded-lg border border-control bg-surface px-3 text-base sm:h-10 sm:text-sm aria-invalid:border-bad'

/** A field with a label, and an error or hint. `children` renders the input with the given props. */
function Labelled({
  label,
  isLabelShown = true,
  hint,
  error,
  className = '',
  children,
}: {
  label: string
  isLabelShown?: boolean | undefined
  hint: string | undefined
  error: string | undefined
  className?: string | undefined
  children: (field: Pick<ComponentProps<'input'>, 'id' | 'aria-invalid' | 'aria-describedby'>) => ReactNode
}) {
  const id = useId()
  return (
    <div className={`flex min-w-0 flex-col gap-1.5 ${className}`}>
      <label htmlFor={id} className={isLabelShown ? 'w-fit font-medium' : 'sr-only'}>
        {label}
      </label>
      {children({
        id,
        'aria-invalid': error !== undefined || undefined,
        'aria-describedby': (error ?? hint) === undefined ? undefined : `${id}-note`,
      })}
      {error !== undefined && (
        <p id={`${id}-note`} className="flex gap-1.5 text-pretty text-bad">
          <CircleAlert aria-hidden="true" className="mt-0.5 size-4 shrink-0" />
          {error}
        </p>
      )}
      {error === undefined && hint !== undefined && (
        <p id={`${id}-note`} className="text-pretty text-ink-soft">
          {hint}
        </p>
      )}
    </div>
  )
}

/** A labeled text input with an error or hint below. */
export const TextField = ({
  label,
  hint,
  error,
  inside,
  className = '',
  ...input
}: ComponentProps<'input'> & {
  label: string
  hint?: string | undefined
  error?: string | undefined
  inside?: ReactNode
}) => (
  <Labelled label={label} hint={hint} error={error}>
    {(field) => (
      <div className="relative">
        <input {...field} {...input} className={`${control} ${className}`} />
        {inside}
      </div>
    )}
  </Labelled>
)

/** A search field whose text is kept in the URL. */
export function SearchField({
  value,
  maxLength,
  onSearch,
  ...field
}: {
  label: string
  placeholder?: string
  value: string
  maxLength: number
  onSearch: (text: string) => void
}) {
  const { input, type, onBlur } = useTyped(value, onSearch)
  return (
    <TextField
      {...field}
      ref={input}
      type="search"
      defaultValue={value}
      onChange={({ target }) => type(target.value.slice(0, maxLength))}
      onBlur={onBlur}
    />
  )
}

/** A labeled select with an error or hint below. */
export const SelectField = ({
  label,
  isLabelShown,
  choices,
  hint,
  error,
  className,
  ...select
}: ComponentProps<'select'> & {
  label: string
  /** False hides the label from everyone but screen readers. */
  isLabelShown?: boolean
  choices: readonly { value: string; label: string }[]
  hint?: string | undefined
  error?: string | undefined
}) => (
  <Labelled label={label} isLabelShown={isLabelShown} hint={hint} error={error} className={className}>
    {(field) => (
      <select {...field} {...select} className={`${control} min-w-0`}>
        {choices.map((choice) => (
          <option key={choice.value} value={choice.value}>
            {choice.label}
          </option>
        ))}
      </select>
    )}
  </Labelled>
)

/** A checkbox with a label, and a hint if there is one. */
export function CheckField({
  label,
  hint,
  className = '',
  ...input
}: Omit<ComponentProps<'input'>, 'type'> & { label: string; hint?: ReactNode }) {
  const isPlain = hint === undefined
  return (
    <label className={`flex gap-2.5 ${isPlain ? 'touch w-fit items-center' : 'items-start'} ${className}`}>
      <input
        type="checkbox"
        {...input}
        className={`size-4 shrink-0 accent-accent ${isPlain ? '' : 'mt-0.5'}`}
      />
      <span className="min-w-0">
        <span className={isPlain ? '' : 'font-medium'}>{label}</span>
        {!isPlain && <span className="mt-0.5 block text-pretty text-ink-soft">{hint}</span>}
      </span>
    </label>
  )
}

/** A password input with a button that shows the password. */
export function PasswordField(
  field: Omit<ComponentProps<typeof TextField>, 'type' | 'inside' | 'className'> & {
    autoComplete: 'current-password' | 'new-password'
  },
) {
  const [isShown, setShown] = useState(false)
  return (
    <TextField
      {...field}
      type={isShown ? 'text' : 'password'}
      autoCapitalize="none"
      autoCorrect="off"
      spellCheck={false}
      className="pr-11"
      inside={
        // Hidden without JavaScript.
        <IconButton
          icon={isShown ? EyeOff : Eye}
          label="Show characters"
          aria-pressed={isShown}
          onClick={() => setShown(!isShown)}
          className="absolute inset-y-1 right-1 w-9 touch pointer-coarse:inset-y-0 pointer-coarse:right-0 rounded-md noscript:hidden"
        />
      }
    />
  )
}

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

/** A button that stays pressed while `isOn` is true. */
export const ToggleButton = ({
  isOn,
  className = '',
  ...button
}: ComponentProps<'button'> & { isOn: boolean }) => (
  <button
    type="button"
    aria-pressed={isOn}
    {...button}
    className={`h-8 rounded-lg border border-line px-2.5 hover:bg-sunken aria-pressed:border-accent aria-pressed:font-medium aria-pressed:text-accent ${className}`}
  />
)

/** A row of radio buttons with a label. */
export function RadioField<Value extends string>({
  label,
  name,
  choices,
  value,
  onChange,
  className = '',
}: {
  label: string
  name: string
  choices: Readonly<Record<Value, string>>
  value: Value
  onChange: (value: Value) => void
  className?: string
}) {
  return (
    <fieldset className={`flex items-center justify-between gap-3 ${className}`}>
      <legend className="float-left contents">
        <span className="min-w-0 flex-1">{label}</span>
      </legend>
      <div className="flex rounded-lg border border-line p-0.5">
        {(Object.entries(choices) as [Value, string][]).map(([choice, text]) => (
          <label
            key={choice}
            className="relative touch flex cursor-pointer items-center justify-center rounded-md px-2.5 py-0.5 font-normal text-ink-soft select-none has-checked:bg-sunken has-checked:font-medium has-checked:text-ink has-focus-visible:outline-2 has-focus-visible:outline-accent"
          >
            <input
              type="radio"
              name={name}
              checked={choice === value}
              onChange={() => onChange(choice)}
              className="absolute inset-0 size-full cursor-pointer opacity-0"
            />
            {text}
          </label>
        ))}
      </div>
    </fieldset>
  )
}

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
