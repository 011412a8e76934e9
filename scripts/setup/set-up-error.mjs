/** A step of the set-up that cannot be done, with what the user can do about it. */
export class SetUpError extends Error {
  /** @override */
  name = 'SetUpError';

  /**
   * @param {string} message
   * @param {string} remedy One sentence or command; printed below the message.
   */
  constructor(message, remedy) {
    super(message);
    this.remedy = remedy;
  }
}
