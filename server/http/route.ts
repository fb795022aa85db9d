import { forEachOpenApiProcedure } from 'trpc-to-openapi'
import type { ZodType } from 'zod'
import { methodNotAllowed, notFound } from '../errors.ts'
import { operations } from '../operations.ts'
import type { Scope } from '../tokens/policy.ts'

/** A procedure's REST metadata. */
export interface Operation {
  /** The name of the procedure, such as `deals.list`. */
  name: string
  type: 'query' | 'mutation'
  method: string
  /** The names of the query parameters. */
  query: string[]
  /** True if unknown parameters are rejected instead of ignored. */
  isStrict: boolean
  input: ZodType
  /** The scope that a token must have. */
  scope: Scope | undefined
}

export interface Route {
  /** The segments of the path as declared, where `{id}` stands for a parameter. */
  segments: string[]
  /** Operations by method. GET also handles HEAD. */
  operations: Map<string, Operation>
}

/** Returns all routes that procedures declare. */
export function readRoutes(): Route[] {
  const routes = new Map<string, Route>()
  forEachOpenApiProcedure(operations._def.procedures, ({ path: name, type, procedure, meta }) => {
    const { method, path } = meta.openapi
    const [input] = procedure._def.inputs as [ZodType & { shape?: object }]
    const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, parameter]) => parameter)
    const query =
      method === 'GET' ? Object.keys(input.shape ?? {}).filter((key) => !inPath.includes(key)) : []
    const route = routes.get(path) ?? { segments: path.split('/'), operations: new Map() }
    const { scope } = meta as typeof meta & { scope?: Scope }
    const { catchall } = (input?._zod.def ?? {}) as { catchall?: ZodType }
    const isStrict = catchall?._zod.def.type === 'never'
    route.operations.set(method, {
      name,
      type: type as Operation['type'],
      method,
      query,
      isStrict,
      input,
      scope,
    })
    routes.set(path, route)
  })
  return [...routes.values()]
}

/** Returns a function that finds the route for a path. */
export function finderOf(routes: Route[]): (path: string) => Route | undefined {
  const isLiteral = ({ segments }: Route) => !segments.some(isParameter)
  const literal = new Map(routes.filter(isLiteral).map((route) => [route.segments.join('/'), route]))
  const others = routes.filter((route) => !isLiteral(route))
  return (path) => {
    const parts = path.split('/')
    return literal.get(path) ?? others.find(({ segments }) => fits(segments, parts))
  }
}

/**
 * Returns the operation for a method and path, and the values of the path's parameters.
 * @throws ApiError 404 without a route, 405 without an operation
 */
export function operationOf(
  route: Route | undefined,
  method: string,
  path: string,
): { operation: Operation; parameters: Record<string, string> } {
  if (route === undefined) throw notFound('Path')
  const { segments, operations } = route
  const operation = operations.get(method === 'HEAD' ? 'GET' : method)
  if (operation !== undefined) return { operation, parameters: readParameters(segments, path.split('/')) }
  const allowed = [...operations.keys()].flatMap((name) => (name === 'GET' ? ['GET', 'HEAD'] : [name]))
  throw methodNotAllowed(allowed.join(', '))
}

const isParameter = (segment: string) => segment.startsWith('{')

/** Returns true if a path matches the route. Parameters must not be empty. */
function fits(segments: string[], parts: string[]): boolean {
  return (
    segments.length === parts.length &&
    segments.every((segment, index) =>
      isParameter(segment) ? parts[index] !== '' : parts[index] === segment,
    )
  )
}

function readParameters(segments: string[], parts: string[]): Record<string, string> {
  return Object.fromEntries(
    segments.flatMap((segment, index) =>
      isParameter(segment) ? [[segment.slice(1, -1), decode(parts[index]!)]] : [],
    ),
  )
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    // If decoding fails, the text is not a valid ID, which validation reports later.
    return text
  }
}

/** Returns the known parameters of a query. The value of a repeated parameter is an array. */
export function readQuery(names: string[], search: string): Record<string, unknown> {
  if (search === '' || names.length === 0) return {}
  const parameters = new URLSearchParams(search)
  return Object.fromEntries(
    names.flatMap((name) => {
      const values = parameters.getAll(name)
      return values.length === 0 ? [] : [[name, values.length === 1 ? values[0] : values]]
    }),
  )
}
