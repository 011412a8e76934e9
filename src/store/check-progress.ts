/** What a long check of a file is doing, and how much of that is done (0 to 1), where it can be told. */
export type OnCheckProgress = (step: CheckStep, part: number | null) => void;

/** `checksums`: every byte is read; `structure`: SQLite looks at its tables; `saving`: rows are copied. */
export type CheckStep = 'checksums' | 'structure' | 'contents' | 'saving' | 'sealing';
