import type postgres from 'postgres'

/** Decides when a statement or a transaction may begin. */
export interface Gate {
  /** Admits one statement. Returns null if there is no limit. */
  admit(): Admitted | null
}

interface Admitted {
  /**
   * Resolves when the statement may be sent, and rejects or throws if the statement is rejected. Returns
   * undefined if the statement may be sent immediately.
   */
  begin(): Promise<void> | undefined
  /** Releases the slot of the statement. */
  end(): void
  /** Calls `cancel` if the request is canceled before `end`. */
  whenCancelled(cancel: () => void): void
  /** Returns the error for a canceled request, or null. */
  problem(): Error | null
  within<T>(work: () => T): T
}

/** A statement of the driver. The driver's handler sends the statement when it is awaited. */
interface Statement extends Promise<unknown> {
  handler: (statement: Statement) => void
  /** Null until the statement is sent. */
  state: object | null
  reject(error: unknown): void
  cancel(): Promise<void> | null
}

type Send = Statement['handler']

type AnyFunction = (...args: unknown[]) => unknown

/**
 * Returns a pool in which the gate admits statements and transactions. When a request is canceled, its
 * waiting statements are rejected, and its running statements are canceled in the database.
 */
export function admitStatements<Pool extends postgres.Sql>(pool: Pool, gate: Gate): Pool {
  const begin = async (...args: unknown[]) => {
    const admitted = gate.admit()
    if (admitted === null) return (pool.begin as AnyFunction)(...args)
    await admitted.begin()
    try {
      const work = args.pop() as (sql: postgres.TransactionSql) => unknown
      return await (pool.begin as AnyFunction)(...args, (sql: postgres.TransactionSql) =>
        admitted.within(() => work(cancellable(sql, admitted))),
      )
    } finally {
      admitted.end()
    }
  }
  return wrap(pool, { begin }, (statement, send) => {
    const admitted = gate.admit()
    if (admitted === null) send(statement)
    else void sendAdmitted(statement, send, admitted)
  })
}

async function sendAdmitted(statement: Statement, send: Send, admitted: Admitted): Promise<void> {
  try {
    const ready = admitted.begin()
    // Statements that do not have to wait are sent in the same tick.
    if (ready !== undefined) await ready
  } catch (error) {
    return statement.reject(error)
  }
  const problem = admitted.problem()
  if (problem !== null) {
    admitted.end()
    return statement.reject(problem)
  }
  const end = () => admitted.end()
  // Bypasses the driver's `then`, which would send the statement.
  void Promise.prototype.then.call(statement, end, end)
  admitted.whenCancelled(() => cancel(statement))
  send(statement)
}

/** Returns a transaction whose statements are canceled together with the request. */
function cancellable(sql: postgres.TransactionSql, admitted: Admitted): postgres.TransactionSql {
  const underway = new Set<Statement>()
  admitted.whenCancelled(() => underway.forEach(cancel))
  const sendCancellable = (statement: Statement, send: Send) => {
    const problem = admitted.problem()
    if (problem !== null) return statement.reject(problem)
    const end = () => underway.delete(statement)
    void Promise.prototype.then.call(statement, end, end)
    underway.add(statement)
    send(statement)
  }
  const wrapInner = (inner: postgres.TransactionSql): postgres.TransactionSql => {
    const savepoint = (...args: unknown[]) => {
      const work = args.pop() as (nested: postgres.TransactionSql) => unknown
      return (inner.savepoint as AnyFunction)(...args, (nested: postgres.TransactionSql) =>
        work(wrapInner(nested)),
      )
    }
    return wrap(inner, { savepoint }, sendCancellable)
  }
  return wrapInner(sql)
}

/** Cancels a statement that was sent. */
function cancel(statement: Statement): void {
  // Ignores failures to connect for the cancellation.
  if (statement.state !== null) statement.cancel()?.catch(() => {})
}

/** Wraps a driver function so that `sendBy` sends its statements. */
function wrap<Sql extends postgres.ISql>(
  sql: Sql,
  methods: Record<string, AnyFunction>,
  sendBy: (statement: Statement, send: Send) => void,
): Sql {
  let send: Send
  // Uses one handler for all statements, because a closure per statement would keep its rows in memory and
  // halve the throughput of lists.
  const handler = (statement: Statement) => sendBy(statement, send)
  const prepared = (statement: unknown) => {
    if (statement instanceof Promise) {
      // All statements of this driver function have the same handler.
      send = (statement as Statement).handler
      ;(statement as Statement).handler = handler
    }
    return statement
  }
  const unsafe = (...args: unknown[]) => prepared((sql.unsafe as AnyFunction)(...args))
  const replaced: Record<string | symbol, unknown> = { unsafe, ...methods }
  return new Proxy(sql as Sql & AnyFunction, {
    apply: (target, _this, args) => prepared(Reflect.apply(target, undefined, args)),
    get: (target, name) => (Object.hasOwn(replaced, name) ? replaced[name] : Reflect.get(target, name)),
  })
}
