import openApi from '#public/openapi.json' with { type: 'json' }

/** The subset of JSON Schema that the OpenAPI document uses. */
export interface Schema {
  $ref?: string
  type?: string | string[]
  format?: string
  description?: string
  enum?: unknown[]
  const?: unknown
  default?: unknown
  anyOf?: Schema[]
  items?: Schema
  properties?: Record<string, Schema>
  required?: string[]
}

/** Body of a request or response by media type. */
type Content = Record<string, { schema: Schema; example?: unknown }>

/** A parameter in the path, query or headers. */
export interface Parameter {
  in: string
  name: string
  required?: boolean
  schema: Schema
}

/** An OpenAPI operation, or a webhook. */
export interface Operation {
  operationId: string
  summary: string
  description: string
  tags: string[]
  parameters?: Parameter[]
  requestBody?: { content: Content }
  responses: Record<string, { description: string; content?: Content }>
}

/**
 * An operation with its method and path. Webhooks have no path, because the portal calls the partner's URL.
 */
export interface Call {
  method: string
  path: string | null
  operation: Operation
}

/** A row in the table of an object's fields. */
export interface FieldRow {
  /** Name of the field with the fields that contain it, such as `steps[].taken.count`. */
  path: string
  schema: Schema
  isRequired: boolean
}

const { paths, webhooks, components, tags } = openApi as unknown as {
  paths: Record<string, Record<string, Operation>>
  webhooks: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, Schema> }
  tags: { name: string; description: string }[]
}

/** Named schemas, to which other schemas refer. */
export const schemas: [name: string, schema: Schema][] = Object.entries(components.schemas)

const calls: Call[] = [
  ...Object.entries(paths).flatMap(([path, operations]) => callsAt(path, operations)),
  ...Object.values(webhooks).flatMap((operations) => callsAt(null, operations)),
]

function callsAt(path: string | null, operations: Record<string, Operation>): Call[] {
  return Object.entries(operations).map(([method, operation]) => ({
    method: method.toUpperCase(),
    path,
    operation,
  }))
}

/** Sections of the reference: one for each tag, with the tag's operations. */
export const sections = tags.map((tag) => ({
  ...tag,
  calls: calls.filter(({ operation }) => operation.tags.includes(tag.name)),
}))

/** Returns the JSON content of a body, or undefined if there is no body. */
export const jsonOf = (content: Content | undefined) => content?.['application/json']

/**
 * Returns the name of the object that a schema refers to, including in a list or as a nullable object;
 * otherwise null.
 */
export function nameOf(schema: Schema): string | null {
  const { $ref, items, anyOf = [] } = schema
  if ($ref !== undefined) return $ref.split('/').at(-1)!
  return [items, ...anyOf].map((part) => part && nameOf(part)).find((name) => name != null) ?? null
}

/** Describes a schema's type, such as `integer (int64) or null` or `list of Deal`. */
export function typeOf(schema: Schema): string {
  const { $ref, anyOf, const: only, enum: values, items, type = 'any', format } = schema
  if ($ref !== undefined) return nameOf(schema)!
  if (only !== undefined) return JSON.stringify(only)
  if (values !== undefined) return values.map((value) => JSON.stringify(value)).join(' or ')
  if (anyOf !== undefined) return [...new Set(anyOf.map(typeOf))].join(' or ')
  if (items !== undefined) return `list of ${typeOf(items)}`
  const [first, ...more] = [type].flat()
  return [format === undefined ? first : `${first} (${format})`, ...more].join(' or ')
}

/** Returns the fields of an object, including fields of nested unnamed objects. */
export function fieldsOf({ properties = {}, required = [] }: Schema, prefix = ''): FieldRow[] {
  return Object.entries(properties).flatMap(([name, schema]) => {
    const path = prefix + name
    const isList = schema.items !== undefined
    const inner = [schema.items ?? schema, ...(schema.anyOf ?? [])].find(
      (part) => part.properties !== undefined,
    )
    return [
      { path, schema, isRequired: required.includes(name) },
      ...(inner === undefined ? [] : fieldsOf(inner, `${path}${isList ? '[]' : ''}.`)),
    ]
  })
}
