import { minuteMs } from '#server/values/units.ts'

// Saves form input in this tab when a session ends, and restores it after the next sign-in.

interface SavedField {
  name: string
  value: string
  /** State of a checkbox or radio button; null for other fields. */
  isChecked: boolean | null
}

interface SavedForm {
  /** E-mail address of the user who typed the input. Other users never see it. */
  owner: string
  path: string
  dialog: string | null
  opener: string | null
  fields: SavedField[]
}

const storageKey = 'kept-forms'

const touched = new WeakSet<HTMLFormElement>()
let owner: string | null = null

type Field = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement

/**
 * Remembers which forms the user types into, including the earlier events in `typed`, and restores forms that
 * were saved when a session ended. Calls `onClosed` with the title of a dialog that must be opened first.
 * Returns a function that stops both.
 */
export function watchForms(
  email: string,
  typed: readonly Event[],
  onClosed: (dialog: string) => void,
): () => void {
  owner = email
  typed.forEach(noteTyping)
  document.addEventListener('input', noteTyping)
  const stop = restore(onClosed)
  return () => {
    document.removeEventListener('input', noteTyping)
    stop()
  }
}

function noteTyping({ target }: Event): void {
  const form = isField(target) ? target.form : null
  if (form !== null) touched.add(form)
}

/** Saves all forms on this page that have user input. Passwords and files are never saved. */
export function saveForms(): void {
  if (owner === null) return
  const by = owner
  const saved = [...document.forms]
    .filter((form) => touched.has(form))
    .map((form) => keptForm(form, by))
    .filter(({ fields }) => fields.length > 0)
  if (saved.length > 0) sessionStorage.setItem(storageKey, JSON.stringify(saved))
}

function keptForm(form: HTMLFormElement, by: string): SavedForm {
  const dialog = dialogOf(form)
  return {
    owner: by,
    path: pathHere(),
    dialog: dialog && titleOf(dialog),
    opener: dialog && openerOf(dialog),
    fields: fieldsOf(form).map((field) => ({
      name: field.name,
      value: field.value,
      isChecked: isChoice(field) ? field.checked : null,
    })),
  }
}

/** Returns the forms saved in this tab. */
export function readSavedForms(): SavedForm[] {
  try {
    return JSON.parse(sessionStorage.getItem(storageKey) ?? '[]') as SavedForm[]
  } catch {
    return []
  }
}

// Enough time for a slow page. Dialogs opened later stay empty.
const timeoutMs = minuteMs
const openingMs = 2000
const connectingMs = 100

function restore(onClosed: (dialog: string) => void): () => void {
  const saved = readSavedForms().filter((form) => form.owner === owner)
  const here = saved.filter(({ path }) => path === pathHere())
  if (saved.length === 0) sessionStorage.removeItem(storageKey)
  if (here.length === 0) return () => {}
  const opened = new Set<SavedForm>()
  const fill = () => {
    for (const form of here) fillForm(form, opened)
    if (here.every(({ fields }) => fields.length === 0)) end()
  }
  const observer = new MutationObserver(fill)
  const timers = [
    // Wait until React has connected the fields of a page that has just loaded.
    setTimeout(() => {
      observer.observe(document.body, { childList: true, subtree: true })
      fill()
    }, connectingMs),
    setTimeout(() => {
      for (const { dialog, fields } of here) if (dialog !== null && fields.length > 0) onClosed(dialog)
    }, openingMs),
    setTimeout(() => end(), timeoutMs),
  ]
  const end = () => {
    stop()
    sessionStorage.removeItem(storageKey)
  }
  const stop = () => {
    observer.disconnect()
    timers.forEach(clearTimeout)
  }
  return stop
}

/** Fills the fields that exist and removes them from `fields`. Opens the form's dialog at most once. */
function fillForm(saved: SavedForm, opened: Set<SavedForm>): void {
  const form = [...document.forms].find(
    (each) => (dialogOf(each) && titleOf(dialogOf(each)!)) === saved.dialog && hasSome(each, saved.fields),
  )
  if (form === undefined) {
    if (saved.opener !== null && !opened.has(saved)) openDialog(saved, opened)
    return
  }
  for (const field of saved.fields.slice()) {
    const element = fieldsOf(form).find(
      (each) => each.name === field.name && (field.isChecked === null || each.value === field.value),
    )
    if (element !== undefined && setField(element, field)) saved.fields.splice(saved.fields.indexOf(field), 1)
  }
}

const hasSome = (form: HTMLFormElement, fields: readonly SavedField[]) =>
  fieldsOf(form).some((field) => fields.some(({ name }) => name === field.name))

function openDialog(saved: SavedForm, opened: Set<SavedForm>): void {
  const button = [...document.querySelectorAll('button')].find((each) => textOf(each) === saved.opener)
  if (button === undefined) return
  opened.add(saved)
  button.click()
}

/** Sets a field as if typed. Returns false if it does not accept the value yet. */
function setField(element: Field, { value, isChecked }: SavedField): boolean {
  if (isChoice(element)) {
    if (element.checked !== isChecked) element.click()
    return true
  }
  // Bypass React's own setter, which would hide the change from React.
  Object.getOwnPropertyDescriptor(Object.getPrototypeOf(element), 'value')!.set!.call(element, value)
  if (element.value !== value) return false
  for (const type of ['input', 'change']) element.dispatchEvent(new Event(type, { bubbles: true }))
  return true
}

const isField = (target: unknown): target is Field =>
  target instanceof HTMLInputElement ||
  target instanceof HTMLSelectElement ||
  target instanceof HTMLTextAreaElement

const isChoice = (field: Field): field is HTMLInputElement =>
  field.type === 'checkbox' || field.type === 'radio'

const fieldsOf = (form: HTMLFormElement) =>
  [...form.elements].filter(
    (field): field is Field => isField(field) && !['password', 'file', 'hidden'].includes(field.type),
  )

const dialogOf = (form: HTMLFormElement) => form.closest<HTMLElement>('[role=dialog]')
const titleOf = (dialog: HTMLElement) =>
  textOf(document.getElementById(dialog.getAttribute('aria-labelledby') ?? '')) || dialog.ariaLabel || ''
const openerOf = (dialog: HTMLElement) =>
  dialog.dataset['opener'] ?? (textOf(document.querySelector(`[aria-controls="${dialog.id}"]`)) || null)
const textOf = (element: Element | null) => element?.textContent.trim() ?? ''
const pathHere = () => window.location.pathname + window.location.search
