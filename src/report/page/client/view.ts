/** One state of the page; when another one comes it is ended. */
export interface View {
  title: string;
  element: HTMLElement;
  /** Fulfilled when what is to be seen first is in it; default: it is there. Fails when it cannot be had. */
  filled?: Promise<void>;
  /** Called once it has been painted: asks for what need not be seen first. */
  painted?(): void;
  end(): void;
}
