export interface Listener {
  readonly url: string;
  stop(): Promise<void>;
}

export type Handle = (request: Request) => Promise<Response>;

export const addressOf = (host: string, port: number): string =>
  `http://${host.includes(":") ? `[${host}]` : host}:${port}`;
