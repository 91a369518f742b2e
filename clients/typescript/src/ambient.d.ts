// What this package uses of Node, so that it can be built without the package that has all of Node's types. This file
// is not part of the package.

declare module "node:net" {
  export interface Socket {
    write(bytes: Uint8Array): boolean;
    end(finished: () => void): void;
    readonly connecting: boolean;
    destroy(): void;
    setTimeout(milliseconds: number, ended: () => void): this;
    on(event: "connect" | "drain" | "close", handler: () => void): this;
    on(event: "data", handler: (bytes: Uint8Array) => void): this;
    on(event: "error", handler: (error: Error) => void): this;
  }
  export function createConnection(options: { path: string }): Socket;
}

declare module "node:fs" {
  export function statSync(path: string, options: { throwIfNoEntry: false }): { uid: number; mode: number } | undefined;
}

declare module "node:process" {
  export const env: Readonly<Record<string, string | undefined>>;
  export function getuid(): number;
}
