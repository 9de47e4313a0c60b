/** Where a created resource is read, by its data and the path of the request. Null: nowhere. */
export type LocationOf = (data: unknown, requestPath: string) => string | null;
