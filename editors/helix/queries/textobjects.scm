(handler body: (block) @function.inside) @function.around
(every_declaration body: (block) @function.inside) @function.around
(action_declaration body: (block) @function.inside) @function.around
(fn_declaration) @function.around
(score_declaration) @function.around

(policy body: (policy_body) @class.inside) @class.around
(library body: (policy_body) @class.inside) @class.around

(parameter) @parameter.inside
(argument) @parameter.inside
(handler_parameters (name) @parameter.inside)

(test_declaration) @test.around
[(comment) (doc_comment)] @comment.inside
[(comment) (doc_comment)]+ @comment.around
