/** One state of the page; when another one comes it is ended. */
export interface View {
  title: string;
  element: HTMLElement;
  /** Called once it has been painted: asks for what need not be seen first. */
  painted?(): void;
  end(): void;
}
