;;; A session in Emacs with dap-mode, without a screen: launch, breakpoint, variables, lane change, step, exit.  -*- lexical-binding: t -*-
;; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;; Usage: emacs --batch -l emacs-session.el SETTINGS PROGRAM SOURCE FOLDER
;;   SETTINGS   what the page says to write into init.el

(setq native-comp-deferred-compilation nil
      comp-enable-subr-trampolines nil
      create-lockfiles nil
      user-emacs-directory (file-name-as-directory (nth 3 command-line-args-left)))
;; Debian 12's lsp-treemacs reads this setting, which Debian's treemacs is too old to have.
(defvar treemacs-text-scale nil)
(package-initialize)
(require 'dap-ui)
(load (car command-line-args-left) nil t)

(defun wait-for (what condition)
  (let ((end (+ (float-time) 60)))
    (while (not (funcall condition))
      (when (> (float-time) end)
        (message "no %s" what)
        (kill-emacs 1))
      (accept-process-output nil 0.05))))

(defun wait-for-stop ()
  "Waits until Emacs knows the frame of the stop after what was asked for last."
  (wait-for "stop" (lambda () (dap--debug-session-active-frame (dap--cur-session)))))

(defun shown (name)
  "What the Locals window shows for the variable NAME."
  (dap-ui-locals--refresh)
  (with-current-buffer dap-ui--locals-buffer
    (goto-char (point-min))
    (if (re-search-forward (format "\\_<%s: \\(.*\\)" name) nil t) (match-string-no-properties 1) (buffer-string))))

(defun current-line ()
  "The line of the source to which Emacs has moved point."
  (with-current-buffer (window-buffer (selected-window))
    (line-number-at-pos)))

(pcase-let ((`(,_ ,program ,source ,folder) command-line-args-left))
  (setq command-line-args-left nil
        dap-breakpoints-file (expand-file-name "breakpoints" folder)
        dap-ui-locals-expand-depth 1
        dap-auto-show-output nil)

  (find-file source)
  (search-forward "y[i] += t")
  (let ((line (line-number-at-pos)))
    (dap-breakpoint-toggle)
    (goto-char (point-min))
    (dap-debug (plist-put (copy-tree (cdr (assoc "HIP program" dap-debug-template-configurations))) :program program))
    (wait-for-stop)
    (message "stopped at line: %d" (- (current-line) line))
    (message "lane 0: i %s t %s" (shown "i") (shown "t"))

    ;; The lane is set like any variable, with the action of its line in the Locals window.
    (setf (dap--debug-session-active-frame (dap--cur-session)) nil)
    (with-current-buffer dap-ui--locals-buffer
      (goto-char (point-min))
      (search-forward "focus: 0")
      (cl-letf (((symbol-function 'read-string) (lambda (&rest _) "17")))
        (dap-ui-set-variable-value)))
    (wait-for-stop)
    (message "lane 17: i %s t %s" (shown "i") (shown "t"))

    (with-current-buffer (find-buffer-visiting source)
      (dap-breakpoint-delete-all))
    (dap-next (dap--cur-session))
    (wait-for-stop)
    (message "stepped to line: %d" (- (current-line) line))

    (let ((session (dap--cur-session)))
      (dap-continue session (dap--debug-session-thread-id session))
      (wait-for "end" (lambda () (eq (dap--debug-session-state session) 'terminated)))
      (message "output: %s" (with-current-buffer (dap--debug-session-output-buffer session) (string-trim (buffer-string))))))
  (kill-emacs 0))
